#!/bin/sh
# Does not read what it is told.
sleep 20
