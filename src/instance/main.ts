import { runInstance } from './instance-process.ts'
import { prepareServer } from './prepare-server.ts'

runInstance(prepareServer)
