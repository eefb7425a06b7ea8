#!/bin/sh
# Takes its time, as on a machine with much else to do.
while read -r line; do
  case "$line" in
  "(check-sat)") sleep 7; echo unsat ;;
  "(echo"*) text=${line#*\"}; echo "${text%\"*}" ;;
  esac
done
