import { config } from 'zod/v4'

// Compiled validators are faster, but the page's policy forbids code made from text. Must run before any schema is created.
config({ jitless: true })
