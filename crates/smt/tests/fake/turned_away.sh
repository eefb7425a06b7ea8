#!/bin/sh
# Does not want to hear anything.
exec 0<&-
sleep 30
