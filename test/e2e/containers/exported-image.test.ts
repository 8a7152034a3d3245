import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { modern, modernHeaders, open } from '../../helpers/clients/mcp-requests.ts'
import { HAS_PODMAN } from '../../helpers/containers/containers.ts'
import { seedNodeBase } from '../../helpers/containers/node-base.ts'
import { startHome } from '../../helpers/daemon/daemon-home.ts'
import { eventually } from '../../helpers/daemon/mcp.ts'
import { EngineHome } from './engine-home.ts'

test.runIf(HAS_PODMAN)(
  'an exported image finishes its active request when podman stops it',
  async () => {
    const engine = await EngineHome.open()
    onTestFinished(() => engine.remove())
    const home = await startHome()
    onTestFinished(() => home.remove())
    await seedNodeBase(join(home.dir, 'images'))
    const folder = join(home.dir, 'slow')
    mkdirSync(folder)
    const slow = {
      name: 'slow',
      description: 'Answers after a while',
      inputSchema: { type: 'object' },
      handler: {
        type: 'template',
        text: 'done',
        emit: [{ log: { level: 'info', message: 'began' } }, { waitMs: 700 }],
      },
    }
    writeFileSync(
      join(folder, 'mcp.config.json'),
      JSON.stringify({ name: 'slow', template: 'advanced', tools: [slow] }),
    )
    await home.json(['build', folder])
    const archive = join(home.dir, 'slow.tar')
    await home.json(['export', 'slow', '--image', '--out', archive])
    const image = engine.podman('load', '--quiet', '--input', archive).trim().split(' ').at(-1)!
    const name = 'mcp-test-slow'
    const options = `--detach --name ${name} --publish 127.0.0.1:19876:19876 --env PORT=19876`
    engine.podman('run', ...options.split(' '), image)
    const url = 'http://127.0.0.1:19876/mcp'
    await eventually(() =>
      fetch(new URL('/health', url)).then(
        ({ ok }) => ok,
        () => false,
      ),
    )
    // The response head arrives when the tool has started.
    const answer = await open(url, {
      body: modern('tools/call', { name: 'slow' }),
      headers: modernHeaders('tools/call', 'slow'),
    })
    engine.podman('stop', '--time', '10', name)
    let text = ''
    for await (const chunk of answer) text += chunk
    expect(text).toContain('"text":"done"')
    expect(engine.podman('inspect', name, '--format', '{{.State.ExitCode}} {{.Config.User}}').trim()).toBe(
      '0 65532:65532',
    )
  },
  60_000,
)
