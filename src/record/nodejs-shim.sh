#!/bin/sh
# The other name of Node: the script beside this one does the rest, under the name of this one.
. "${0%/*}/node"
