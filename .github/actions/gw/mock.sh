#!/usr/bin/env bash
# Starts a mock server of $DEFINITION in the background, waits until it listens, and outputs its URL.
set -euo pipefail
log=$RUNNER_TEMP/gw-mock.log
# Create the log now: the loop below may read it before the background process opens it.
: > "$log"
# Job control gives the server a process group of its own. Some runners, such as act, give each step a terminal, and its
# hang-up at the end of the step would end the server.
set -m
# The runner ends the processes that are left at the end of the job.
read -ra args <<< "$ARGS"
# A definition whose name begins with - is no flag.
gw mock --port 0 "${args[@]}" -- "$DEFINITION" < /dev/null > "$log" 2>&1 &
for _ in $(seq 600); do
  url=$(sed -nE 's/^Listening on (https?:[^ ,]+).*/\1/p' "$log")
  if [ -n "$url" ]; then
    printf 'url=%s\npid=%s\n' "$url" $! >> "$GITHUB_OUTPUT"
    echo "gw mock listens on $url; its log is $log"
    exit 0
  fi
  kill -0 $! 2> /dev/null || break
  sleep 0.1
done
cat "$log"
echo "::error::gw mock $DEFINITION didn't start; see its output above."
kill $! 2> /dev/null || true
exit 1
