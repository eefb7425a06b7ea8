#!/bin/sh
# Loses every answer.
while read -r line; do
  case "$line" in
  "(echo"*) text=${line#*\"}; echo "${text%\"*}" ;;
  esac
done
