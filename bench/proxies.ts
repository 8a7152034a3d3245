import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort, isUp } from './ports.ts'

export interface RunningProxy {
  url: string
  pid: number
  stop(): Promise<void>
}

interface ProxyProgram {
  /** Paths where distributions install it, in addition to the folders of PATH. */
  paths: string[]
  configure(ports: { own: number; upstream: number; folder: string }): string
  args(config: string, folder: string): string[]
}

/** One worker each, because the instance behind the proxies has one thread. Connections to the instance are kept alive. */
const PROGRAMS: Record<'nginx' | 'haproxy', ProxyProgram> = {
  nginx: {
    paths: ['/usr/sbin/nginx', '/usr/local/sbin/nginx'],
    configure: ({ own, upstream, folder }) => `
daemon off;
worker_processes 1;
pid ${folder}/nginx.pid;
error_log ${folder}/error.log;
events { worker_connections 4096; }
http {
  access_log off;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  keepalive_requests 1000000000;
  upstream instance {
    server 127.0.0.1:${upstream};
    keepalive 256;
    keepalive_requests 1000000000;
  }
  server {
    listen 127.0.0.1:${own};
    location / {
      proxy_pass http://instance;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host 127.0.0.1:${upstream};
    }
  }
}
`,
    args: (config, folder) => ['-p', folder, '-c', config],
  },
  haproxy: {
    paths: ['/usr/sbin/haproxy', '/usr/local/sbin/haproxy'],
    configure: ({ own, upstream }) => `
global
  nbthread 1
  maxconn 4096
defaults
  mode http
  timeout connect 5s
  timeout client 60s
  timeout server 60s
  http-reuse always
frontend own
  bind 127.0.0.1:${own}
  default_backend instance
backend instance
  http-request set-header Host 127.0.0.1:${upstream}
  server instance 127.0.0.1:${upstream} pool-max-conn 256
`,
    args: config => ['-f', config],
  },
}

/** Starts the proxies that are installed, in front of the instance at this URL. */
export async function startProxies(instanceUrl: string): Promise<Record<string, RunningProxy>> {
  const running: Record<string, RunningProxy> = {}
  for (const [name, program] of Object.entries(PROGRAMS)) {
    const path = findProgram(name, program.paths)
    if (path) running[name] = await startProxy(path, program, instanceUrl)
  }
  return running
}

function findProgram(name: string, paths: string[]): string | undefined {
  const searched = (process.env.PATH ?? '').split(':').map(folder => join(folder, name))
  return [...searched, ...paths].find(path => existsSync(path))
}

async function startProxy(path: string, program: ProxyProgram, instanceUrl: string): Promise<RunningProxy> {
  const folder = mkdtempSync(join(tmpdir(), 'mcp-bench-proxy-'))
  const own = await freePort()
  const { port, pathname } = new URL(instanceUrl)
  const config = join(folder, 'proxy.conf')
  writeFileSync(config, program.configure({ own, upstream: Number(port), folder }))
  const child = spawn(path, program.args(config, folder), { stdio: ['ignore', 'ignore', 'inherit'] })
  const url = `http://127.0.0.1:${own}${pathname}`
  while (!(await isUp(url))) {
    if (child.exitCode !== null) throw new Error(`${path} exited with ${child.exitCode}`)
    await sleep(20)
  }
  return { url, pid: child.pid!, stop: () => stopProxy(child, folder) }
}

async function stopProxy(child: ChildProcess, folder: string): Promise<void> {
  const ended = new Promise(resolve => child.once('close', resolve))
  child.kill('SIGTERM')
  await ended
  rmSync(folder, { recursive: true, force: true })
}
