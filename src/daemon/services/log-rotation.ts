import type { Rooms } from './rooms.ts'

const INTERVAL_MS = 30_000

/** Looks from time to time whether a log has grown too large. Returns the function that ends it. */
export function startLogRotation(rooms: Rooms): () => void {
  const timer = setInterval(() => rooms.background.run(() => rotateLogs(rooms)), INTERVAL_MS)
  timer.unref()
  return () => clearInterval(timer)
}

/** Only what is awake writes, so only its files are looked at. */
export async function rotateLogs({
  store,
  supervisor,
  logs,
}: Pick<Rooms, 'store' | 'supervisor' | 'logs'>): Promise<void> {
  for (const id of servedIds(store)) {
    if (!supervisor.has(id)) continue
    for (const instance of supervisor.report(id).instances)
      await logs.rotateWhenLarge(id, instance.id, () => supervisor.holdLog(id, instance.id))
  }
}

function servedIds(store: Rooms['store']): string[] {
  const previews = store.servers.list().flatMap(({ previewMcpId }) => previewMcpId ?? [])
  return [...store.deployments.idsWithStatus('deployed'), ...previews]
}
