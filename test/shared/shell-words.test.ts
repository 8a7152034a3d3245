import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { quoteShellWord } from '../../src/shared/shell-words.ts'

test.each(['weather', 'a b', "it's", 'x; touch y', '$(id)`id`', 'q://x{?a,b}&c=*', 'two\nlines'])(
  'quotes %j as one shell word',
  text => {
    const printed = execFileSync('sh', ['-c', `printf '%s' ${quoteShellWord(text)}`], { encoding: 'utf8' })
    expect(printed).toBe(text)
  },
)
