import { connections } from './connections.ts'
import { environments } from './environments.ts'
import { logs } from './logs.ts'
import { metrics } from './metrics.ts'
import type { MutationTable } from './mutation.ts'
import { oauthSignIns } from './oauth-sign-ins.ts'
import { oauthTokens } from './oauth-tokens.ts'
import { releases } from './releases.ts'
import { scaling } from './scaling.ts'
import { service } from './service.ts'
import { sleep } from './sleep.ts'

const ALL = { files: 'src', tests: 'test' }

export const TABLES: readonly MutationTable[] = [
  { ...ALL, title: 'environments', mutations: environments },
  { ...ALL, title: 'releases', mutations: releases },
  { ...ALL, title: 'scaling', mutations: scaling },
  { ...ALL, title: 'sleep', mutations: sleep },
  { ...ALL, title: 'logs', mutations: logs },
  { ...ALL, title: 'metrics', mutations: metrics },
  { ...ALL, title: 'service', mutations: service },
  { ...ALL, title: 'connections', mutations: connections },
  {
    title: 'oauth',
    files: 'src/sdk/oauth',
    tests: 'test/sdk/oauth',
    mutations: [...oauthTokens, ...oauthSignIns],
  },
]
