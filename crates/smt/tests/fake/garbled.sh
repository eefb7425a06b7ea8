#!/bin/sh
# Talks all the time, and never says what it is asked for.
while true; do
  echo "hello ("
  sleep 0.05
done
