#!/bin/sh
# Answers, but cannot keep quiet: warnings, blank lines, half-finished expressions.
echo "WARNING: an option is deprecated"
while read -r line; do
  case "$line" in
  "(check-sat)") printf '\n; thinking\n(((\nunsat\nnot quite sat\n' ;;
  "(get-value"*) printf 'hm\n((' ;;
  "(echo"*) text=${line#*\"}; echo "${text%\"*}" ;;
  esac
done
