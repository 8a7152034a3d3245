import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createContext } from 'mcp-hosting/server'
import rollDice from '../tools/roll_dice.ts'

test('rolls the requested number of dice', () => {
  const context = createContext({ env: { MAX_DICE: '100' } })
  const { dice, sum } = rollDice.handler({ count: 3, sides: 6 }, context) as { dice: number[]; sum: number }
  assert.equal(dice.length, 3)
  assert.equal(
    sum,
    dice.reduce((total, one) => total + one, 0),
  )
  assert.deepEqual(context.logs, [{ level: 'debug', data: 'rolling 3 dice with 6 sides' }])
})

test('refuses more dice than MAX_DICE', () => {
  const context = createContext({ env: { MAX_DICE: '2' } })
  assert.throws(() => rollDice.handler({ count: 3 }, context), /maximum number of dice is 2/)
})
