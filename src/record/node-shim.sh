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
# The recording may be over, or of another user.
if [ ! -r "${TICKS_RECORD-}/shim" ] || [ ! -w "$TICKS_RECORD/.." ]; then exec "$ticks_next" "$@"; fi
. "$TICKS_RECORD/shim"
[ "$ticks_next" = "$ticks_node" ] && ticks_flags="$ticks_flags $ticks_node_flags"
# Node 20 does not let a restricted program load what NODE_OPTIONS asks for.
[ -n "$ticks_restricted" ] && case "${NODE_OPTIONS-}" in
  "$ticks_node_option"*) NODE_OPTIONS=${NODE_OPTIONS#"$ticks_node_option"} ;;
esac
IFS=' '
exec "$ticks_next" $ticks_flags "--logfile=$ticks_log" "$@"
