#!/bin/sh
# Rejects a command, loses it, and is very sure about the rest.
while read -r line; do
  case "$line" in
  "(check-sat)") echo '(error "line 3 column 10: unknown constant x'; echo 'declared: nothing")'; echo unsat ;;
  "(echo"*) text=${line#*\"}; echo "${text%\"*}" ;;
  esac
done
