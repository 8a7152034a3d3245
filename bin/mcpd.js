#!/usr/bin/env node
import '../dist/check-node.js'

await import('../dist/daemon.js')
