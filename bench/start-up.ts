import { fileURLToPath } from 'node:url'
import { mcp, startDaemon } from './daemon.ts'
import { interleave, median, runNode, timeMs } from './measure.ts'
import type { Figure } from './report.ts'

const ROUNDS = 21
/**
 * Limit for commands that speak MCP to a server on the local daemon. It is 100 ms on a machine that starts a bare Node in 33 ms.
 */
const MCP_LIMIT = 3
const WEATHER = fileURLToPath(new URL('../examples/weather', import.meta.url))

/** Complete commands, compared with a bare `node -e 0` in the same run. */
export async function benchStartUp(): Promise<Figure[]> {
  const daemon = await startDaemon()
  try {
    await runNode([mcp, 'deploy', WEATHER, '--json'], daemon.env)
    const command =
      (...args: string[]) =>
      () =>
        timeMs(() => runNode(args, daemon.env))
    const times = await interleave(ROUNDS, {
      bare: command('-e', '0'),
      version: command(mcp, '--version'),
      help: command(mcp, '--help'),
      status: command(mcp, 'status', '--json'),
      list: command(mcp, 'list'),
      tools: command(mcp, 'tools', 'weather'),
      call: command(mcp, 'call', 'weather', 'current_weather', 'city=Oslo'),
      read: command(mcp, 'read', 'weather', 'weather://Oslo'),
      prompt: command(mcp, 'prompt', 'weather', 'plan_a_day', 'city=Oslo'),
      completion: command(mcp, '__complete', '--', 'call', 'weather', 'forecast', ''),
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
      figure('`mcp list`', times.list!),
      figure('`mcp tools`', times.tools!, MCP_LIMIT),
      figure('`mcp call`', times.call!, MCP_LIMIT),
      figure('`mcp read`', times.read!, MCP_LIMIT),
      figure('`mcp prompt`', times.prompt!, MCP_LIMIT),
      figure('Tab for an argument', times.completion!, MCP_LIMIT),
    ]
  } finally {
    await daemon.stop()
  }
}
