import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { shellWord } from '../../src/cli/shell-word.ts'

test.each(['weather', 'a b', "it's", 'x; touch y', '$(id)`id`', 'q://x{?a,b}&c=*', 'two\nlines'])(
  '%j is one word of a shell',
  text => {
    const printed = execFileSync('sh', ['-c', `printf '%s' ${shellWord(text)}`], { encoding: 'utf8' })
    expect(printed).toBe(text)
  },
)
