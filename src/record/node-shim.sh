#!/bin/sh
# The `node` that is first on the PATH of a program under `ticks record`: runs the next one, with the flags of the recording.
# Nothing of this stays: the process becomes Node, with the same PID, descriptors and arguments.
ticks_restricted=
case " $* " in *" --experimental-permission "*) ticks_restricted=1 ;; esac
ticks_name=${0##*/}
ticks_self=${0%/*}
ticks_next=
set -f
IFS=:
for ticks_folder in ${PATH-}; do
  [ "$ticks_folder" = "$ticks_self" ] && continue
  ticks_next=${ticks_folder:-.}/$ticks_name
  [ -x "$ticks_next" ] && [ ! -d "$ticks_next" ] && break
  ticks_next=
done
if [ -z "$ticks_next" ]; then
  echo "$ticks_name: not found" >&2
  exit 127
fi
# The recording may be over, and somebody may have made a folder of its name again: it counts if it is this user's, nobody else may
# write to it, and it has the token. Nothing in it is read here: all there is to know is in variables.
ticks_session=${TICKS_RECORD-}
ticks_mode=
if [ -n "${TICKS_RECORD_TOKEN-}" ] && [ ! -h "$ticks_session" ] && [ -O "$ticks_session" ] &&
  [ -f "$ticks_session/config-$TICKS_RECORD_TOKEN.json" ]; then
  ticks_mode=$(command -p ls -ld "$ticks_session" 2>/dev/null || ls -ld "$ticks_session" 2>/dev/null)
fi
case $ticks_mode in
  drwx--[-S]---*) ;; # With S where new folders get the group of their parent.
  *) exec "$ticks_next" "$@" ;;
esac
ticks_flags=$TICKS_RECORD_FLAGS
[ "$ticks_next" = "$TICKS_RECORD_NODE" ] && ticks_flags="$ticks_flags $TICKS_RECORD_NODE_FLAGS"
# Node 20 does not let a restricted program load what NODE_OPTIONS asks for.
[ -n "$ticks_restricted" ] && case "${NODE_OPTIONS-}" in
  "$TICKS_RECORD_OPTION"*) NODE_OPTIONS=${NODE_OPTIONS#"$TICKS_RECORD_OPTION"} ;;
esac
IFS=' '
exec "$ticks_next" $ticks_flags "--logfile=$TICKS_RECORD_LOG" "$@"
