#!/bin/sh
':' //; exec node -- "$0" "$@"
// The first lines let a shell run Node with `--`. Without it, Node itself rejects a missing `--env-file` of the command line.
await import('../dist/cli.js')
