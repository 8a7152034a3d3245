import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import { Containers } from '../../../src/daemon/engine/container-engine.ts'
import { PODMAN_INFO, type StubEngine, stubEngine } from '../../helpers/containers/stub-engine.ts'

const ID = 'f'.repeat(64)

function containersOf(engine: StubEngine): { open(): Containers } {
  const home = mkdtempSync(join(tmpdir(), 'mcp-home-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  return { open: () => new Containers({ home, marker: join(home, 'containers'), env: engine.env }) }
}

/** Stub engine with these branches in its `case $1`. */
function engineThat(cases: string): StubEngine {
  const engine = stubEngine(`case $1 in info) echo '${PODMAN_INFO}' ;; ${cases} esac`)
  onTestFinished(() => engine[Symbol.dispose]())
  return engine
}

test('start removes containers from an earlier daemon of this home by their label', async () => {
  const engine = engineThat(`ps) echo ${ID} ;; rm) ;;`)
  const home = containersOf(engine)
  await home.open().start()
  expect(engine.calls()).toEqual([]) // no container ever ran, so the engine is not called
  await home.open().require()
  expect(engine.calls().filter(call => call.startsWith('rm'))).toEqual([])
  await home.open().start()
  const [listed] = engine.calls().filter(call => call.startsWith('ps'))
  expect(listed).toMatch(/--filter label=mcp-hosting\.home=[0-9a-f]{16}$/)
  expect(engine.calls().at(-1)).toBe(`rm --force --volumes ${ID}`)
})

test('start waits for an engine that is not available yet after boot', async () => {
  const engine = stubEngine(`
    case $1 in
      info) if [ -e "$HOME/up" ]; then echo '${PODMAN_INFO}'; else echo 'cannot connect' >&2; touch "$HOME/up"; exit 1; fi ;;
    esac`)
  onTestFinished(() => engine[Symbol.dispose]())
  const home = containersOf(engine)
  await expect(home.open().require()).rejects.toThrow('cannot connect')
  await home.open().require()
  rmSync(join(engine.env.HOME!, 'up'))
  await home.open().start()
  expect(engine.calls().filter(call => call.startsWith('info'))).toHaveLength(4)
})

test('close removes running containers and does not call an unused engine', async () => {
  const engine = engineThat(`ps) echo ${ID} ;; rm) ;;`)
  const home = containersOf(engine)
  await home.open().close()
  expect(engine.calls()).toEqual([])
  const containers = home.open()
  await containers.require()
  await containers.close()
  expect(engine.calls().at(-1)).toBe(`rm --force --volumes ${ID}`)
})

test('a pull of an unknown image fails with the error from the engine', async () => {
  const engine = engineThat(
    `image) exit 1 ;; pull) echo 'time="x" level=warning msg="retrying"' >&2; echo 'Error: no such host' >&2; exit 125 ;;`,
  )
  await expect(containersOf(engine).open().pull('nowhere.example/x:1')).rejects.toMatchObject({
    code: 'UPSTREAM_FAILED',
    message: 'The image nowhere.example/x:1 is not available locally and cannot be pulled.',
    details: 'Error: no such host',
  })
})

test('a local image is not pulled', async () => {
  const engine = engineThat(`image) echo ${ID} ;;`)
  expect(await containersOf(engine).open().pull('weather:1')).toBe(`sha256:${ID}`)
  expect(engine.calls().some(call => call.startsWith('pull'))).toBe(false)
})

test('loading a rejected archive fails with the error from the engine, even if the engine stopped reading early', async () => {
  const engine = engineThat(`image) exit 1 ;; load) echo 'Error: no space left on device' >&2; exit 125 ;;`)
  const archive = () =>
    Readable.from(
      (function* () {
        for (let part = 0; part < 100; part++) yield Buffer.alloc(65_536)
      })(),
    )
  await expect(containersOf(engine).open().provide('x:1', archive)).rejects.toMatchObject({
    code: 'UNAVAILABLE',
    details: 'Error: no space left on device',
  })
})

test('concurrent calls of provide() load an image only once', async () => {
  const engine = engineThat(`image) exit 1 ;; load) cat > /dev/null ;;`)
  const containers = containersOf(engine).open()
  const archive = () => Readable.from(['archive'])
  await Promise.all([containers.provide('x:1', archive), containers.provide('x:1', archive)])
  expect(engine.calls().filter(call => call.startsWith('load'))).toHaveLength(1)
})

test('without an engine, the error gives the reason and the next step', async () => {
  const engine = stubEngine('echo "Error: cannot find newuidmap" >&2; exit 125')
  onTestFinished(() => engine[Symbol.dispose]())
  await expect(containersOf(engine).open().require()).rejects.toMatchObject({
    code: 'UNAVAILABLE',
    message: 'Containers cannot run on this machine: podman does not work here: cannot find newuidmap.',
    details: expect.stringContaining('Install podman or docker'),
  })
})
