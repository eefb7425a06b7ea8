#!/bin/sh
# Gives its answer only after it said that it is done, so that it seems to answer the next question.
while read -r line; do
  case "$line" in
  *ready*) echo "probity ready" ;;
  "(echo"*) text=${line#*\"}; echo "${text%\"*}"; echo unsat ;;
  "(check-sat)") echo sat ;;
  esac
done
