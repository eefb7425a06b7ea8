init { skip }
/* never closed // error: [scan.comment.unterminated]
