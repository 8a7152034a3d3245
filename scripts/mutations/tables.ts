import { environments } from './environments.ts'
import { logs } from './logs.ts'
import { metrics } from './metrics.ts'
import type { MutationTable } from './mutation.ts'
import { oauth } from './oauth.ts'
import { releases } from './releases.ts'
import { scaling } from './scaling.ts'
import { service } from './service.ts'
import { sleep } from './sleep.ts'

export const TABLES: readonly MutationTable[] = [
  oauth,
  environments,
  releases,
  scaling,
  sleep,
  logs,
  metrics,
  service,
]
