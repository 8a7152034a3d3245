import type { EarlierVersion } from '../../shared/instance-protocol.ts'
import type { Instance } from './instance.ts'

/** Has them take requests of their sessions from other instances; those that do not answer have none. */
export async function keepSessions(instances: Instance[]): Promise<EarlierVersion['instances']> {
  const kept = await Promise.all(instances.map(keep))
  return kept.filter(one => one !== undefined)
}

/** An instance whose code runs without end must not hold a release up. It was asked when the release began to start. */
const KEEP_ANSWER_MS = 400

async function keep(instance: Instance): Promise<EarlierVersion['instances'][number] | undefined> {
  const late = new Promise<undefined>(
    resolve => void setTimeout(() => resolve(undefined), KEEP_ANSWER_MS).unref(),
  )
  const port = await Promise.race([instance.keepSessions(), late])
  return port === undefined ? undefined : { id: instance.id, port }
}
