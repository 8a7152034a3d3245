import { config } from 'zod/v4'

// Compiled validators are faster, but the page's policy forbids code that is made from text. Must run before a schema exists.
config({ jitless: true })
