export { CRASH_LOOP, CrashHistory } from '../../shared/crash-history.ts'
