import { expect, test } from 'vitest'
import { engineEnvironment, findContainerEngine } from '../../src/shared/container-engine.ts'
import { PODMAN_INFO, stubEngine } from '../helpers/containers/stub-engine.ts'

test('finds a working engine and the limits that it cannot enforce', async () => {
  using podman = stubEngine(`echo '${PODMAN_INFO.replace('"cpu",', '')}'`)
  expect(await findContainerEngine(podman.env)).toEqual({
    usable: true,
    engine: { name: 'podman', file: podman.file, version: '5.0.0', rootless: true, withoutLimits: ['cpu'] },
  })
})

test('parses the output of docker', async () => {
  const info = { ServerVersion: '28.1.0', SecurityOptions: ['name=rootless'], PidsLimit: false }
  using docker = stubEngine(`echo '${JSON.stringify(info)}'`, 'docker')
  expect(await findContainerEngine(docker.env)).toMatchObject({
    usable: true,
    engine: { name: 'docker', version: '28.1.0', rootless: true, withoutLimits: ['pids'] },
  })
})

test.each([
  ['exit 3', 'podman does not work here: it exited with code 3'],
  [
    'echo "Error: no subuid ranges found." >&2; exit 125',
    'podman does not work here: no subuid ranges found',
  ],
  [
    `echo 'time="x" level=error msg="stat /x: no such file"' >&2; exit 1`,
    'podman does not work here: stat /x: no such file',
  ],
  ['echo hello', 'podman does not work here: "podman info" did not print JSON'],
  ['exec sleep 60', 'podman does not work here: it did not respond within 0.3 s'],
])('reports why an engine that runs "%s" is not usable', async (script, why) => {
  using podman = stubEngine(script)
  expect(await findContainerEngine(podman.env, 300)).toEqual({ usable: false, why })
})

test('reports a docker server that is down even if the client exits with 0', async () => {
  using docker = stubEngine(`echo '{"ServerErrors":["Cannot connect to the Docker daemon"]}'`, 'docker')
  expect(await findContainerEngine(docker.env)).toEqual({
    usable: false,
    why: 'docker does not work here: Cannot connect to the Docker daemon',
  })
})

test('names both engines when neither is installed', async () => {
  expect(await findContainerEngine({ PATH: '/nowhere' })).toEqual({
    usable: false,
    why: 'podman is not installed; docker is not installed',
  })
})

test('rejects an MCP_CONTAINER_ENGINE that is unknown or not installed', async () => {
  expect(await findContainerEngine({ PATH: '', MCP_CONTAINER_ENGINE: 'lxc' })).toMatchObject({
    why: 'MCP_CONTAINER_ENGINE is "lxc", expected podman, docker or the path of one of them',
  })
  expect(await findContainerEngine({ PATH: '', MCP_CONTAINER_ENGINE: 'docker' })).toMatchObject({
    why: 'docker (MCP_CONTAINER_ENGINE) is not installed',
  })
})

test("passes only the environment variables that the engine's client needs", () => {
  const env = {
    PATH: '/bin',
    DOCKER_HOST: 'unix:///x',
    XDG_RUNTIME_DIR: '/run',
    MCP_API_KEY: 'secret',
    TOKEN: 't',
  }
  expect(engineEnvironment(env)).toEqual({ PATH: '/bin', DOCKER_HOST: 'unix:///x', XDG_RUNTIME_DIR: '/run' })
})
