#!/usr/bin/env node
await import('../dist/daemon.js')
