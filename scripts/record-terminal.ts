import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import xterm from '@xterm/headless'
import { drawRecording, type Frame } from './record-terminal/draw.ts'
import { readScreen } from './record-terminal/screen.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const COMMAND = 'mcp up examples/weather'
const COLUMNS = 84
const ROWS = 26
/** Changes within this time become one frame. */
const FRAME_MS = 60

/**
 * Records `mcp up` in a real terminal with an empty home, and draws it as docs/images/mcp-up.svg. Needs `script` (util-linux).
 */
const home = mkdtempSync(join(tmpdir(), 'mcp-recording-'))
const env = { ...process.env, MCP_HOME: home, MCP_PORT: '0', NO_UPDATE_NOTIFIER: '1', TERM: 'xterm-256color' }
const mcp = `${process.execPath} ${join(root, 'bin', 'mcp.js')}`
try {
  const frames = await record(`stty cols ${COLUMNS} rows ${ROWS}; ${COMMAND.replace(/^mcp/, mcp)}`)
  writeFileSync(
    join(root, 'docs', 'images', 'mcp-up.svg'),
    drawRecording({ command: COMMAND, columns: COLUMNS, frames }),
  )
} finally {
  await run(`${mcp} daemon stop`)
  rmSync(home, { recursive: true, force: true })
}

async function record(command: string): Promise<Frame[]> {
  const terminal = new xterm.Terminal({ cols: COLUMNS, rows: ROWS, allowProposedApi: true })
  const frames: Frame[] = []
  const startedAt = performance.now()
  await run(command, async chunk => {
    await new Promise<void>(resolve => terminal.write(chunk, resolve))
    const atMs = performance.now() - startedAt
    const last = frames.at(-1)
    const frame = { atMs, lines: readScreen(terminal.buffer.active, COLUMNS) }
    if (last && atMs - last.atMs < FRAME_MS) frames[frames.length - 1] = { ...frame, atMs: last.atMs }
    else frames.push(frame)
  })
  return frames
}

/** Resolves when the command has exited and all output is recorded. */
async function run(command: string, take: (chunk: string) => Promise<void> = async () => {}): Promise<void> {
  const child = spawn('script', ['-qefc', command, '/dev/null'], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  child.stdout.setEncoding('utf8')
  for await (const chunk of child.stdout) await take(chunk)
}
