export { restartDelayMs } from '../../shared/restart-backoff.ts'
