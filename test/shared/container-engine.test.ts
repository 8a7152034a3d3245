import { expect, test } from 'vitest'
import { engineEnvironment, findContainerEngine } from '../../src/shared/container-engine.ts'
import { PODMAN_INFO, stubEngine } from '../helpers/stub-engine.ts'

test('the engine that answers is taken, with what it cannot limit', async () => {
  using podman = stubEngine(`echo '${PODMAN_INFO.replace('"cpu",', '')}'`)
  expect(await findContainerEngine(podman.env)).toEqual({
    usable: true,
    engine: { name: 'podman', file: podman.file, version: '5.0.0', rootless: true, withoutLimits: ['cpu'] },
  })
})

test('docker is known by its own answer', async () => {
  const info = { ServerVersion: '28.1.0', SecurityOptions: ['name=rootless'], PidsLimit: false }
  using docker = stubEngine(`echo '${JSON.stringify(info)}'`, 'docker')
  expect(await findContainerEngine(docker.env)).toMatchObject({
    usable: true,
    engine: { name: 'docker', version: '28.1.0', rootless: true, withoutLimits: ['pids'] },
  })
})

test.each([
  ['exit 3', 'podman does not work here: it ended with exit code 3'],
  [
    'echo "Error: no subuid ranges found." >&2; exit 125',
    'podman does not work here: no subuid ranges found',
  ],
  [
    `echo 'time="x" level=error msg="stat /x: no such file"' >&2; exit 1`,
    'podman does not work here: stat /x: no such file',
  ],
  ['echo hello', 'podman does not work here: "podman info" answered what is no JSON'],
  ['exec sleep 60', 'podman does not work here: it did not answer within 0.3 s'],
])('an engine that does %s is not taken, and the reason is its own', async (script, why) => {
  using podman = stubEngine(script)
  expect(await findContainerEngine(podman.env, 300)).toEqual({ usable: false, why })
})

test('a client of docker without its server says so, also when it ends with 0', async () => {
  using docker = stubEngine(`echo '{"ServerErrors":["Cannot connect to the Docker daemon"]}'`, 'docker')
  expect(await findContainerEngine(docker.env)).toEqual({
    usable: false,
    why: 'docker does not work here: Cannot connect to the Docker daemon',
  })
})

test('without any engine both names are told', async () => {
  expect(await findContainerEngine({ PATH: '/nowhere' })).toEqual({
    usable: false,
    why: 'podman is not installed; docker is not installed',
  })
})

test('MCP_CONTAINER_ENGINE must name one of them, and one that is there', async () => {
  expect(await findContainerEngine({ PATH: '', MCP_CONTAINER_ENGINE: 'lxc' })).toMatchObject({
    why: 'MCP_CONTAINER_ENGINE is "lxc": it must be podman or docker, or the path of one of them',
  })
  expect(await findContainerEngine({ PATH: '', MCP_CONTAINER_ENGINE: 'docker' })).toMatchObject({
    why: 'docker, which MCP_CONTAINER_ENGINE names, is not installed',
  })
})

test('the client gets where its storage and server are, and nothing else', () => {
  const env = {
    PATH: '/bin',
    DOCKER_HOST: 'unix:///x',
    XDG_RUNTIME_DIR: '/run',
    MCP_API_KEY: 'secret',
    TOKEN: 't',
  }
  expect(engineEnvironment(env)).toEqual({ PATH: '/bin', DOCKER_HOST: 'unix:///x', XDG_RUNTIME_DIR: '/run' })
})
