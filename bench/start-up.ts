import { mcp, startDaemon } from './daemon.ts'
import { interleave, median, runNode, timeMs } from './measure.ts'
import type { Figure } from './report.ts'

const ROUNDS = 21

/** Complete commands, compared with a bare `node -e 0` in the same run. */
export async function benchStartUp(): Promise<Figure[]> {
  const daemon = await startDaemon()
  try {
    const command =
      (...args: string[]) =>
      () =>
        timeMs(() => runNode(args, daemon.env))
    const times = await interleave(ROUNDS, {
      bare: command('-e', '0'),
      version: command(mcp, '--version'),
      help: command(mcp, '--help'),
      status: command(mcp, 'status', '--json'),
    })
    const bare = median(times.bare!)
    const figure = (name: string, values: number[], limit?: number): Figure => {
      const ratio = median(values) / bare
      const value = `${median(values).toFixed(1)} ms, ${ratio.toFixed(2)}×`
      return {
        name,
        value,
        measured: ratio,
        ...(limit ? { limit: { at: 'most', value: limit, unit: '×' } } : {}),
      }
    }
    return [
      figure('`node -e 0`', times.bare!),
      figure('`mcp --version`', times.version!, 1.15),
      figure('`mcp --help`', times.help!, 1.6),
      figure('`mcp status --json`', times.status!, 2.2),
    ]
  } finally {
    await daemon.stop()
  }
}
