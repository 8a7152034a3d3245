import { expect, test } from 'vitest'
import {
  compileJson,
  compileText,
  Rendering,
} from '../../../../src/instance/handlers/templates/liquid-templates.ts'
import {
  isPlainDefinition,
  parsePlainTemplate,
} from '../../../../src/instance/handlers/templates/plain-template.ts'
import { createLiquid } from '../../../../src/shared/definitions/liquid.ts'

const liquid = createLiquid()

const scope = {
  name: 'Ada',
  n: 0,
  no: false,
  nothing: null,
  list: ['a', 'b'],
  user: { name: 'Grace', address: { city: 'Arlington' }, tags: ['x'] },
  args: {},
  data: { cities: { berlin: 3.5 } },
  env: {},
  context: {},
}

const SAME_AS_LIQUID = [
  'Hello {{ name }}!',
  '{{name}}{{n}}{{ no }}',
  '{{ user.name }} of {{ user.address.city }}',
  '{{ data.cities.berlin }}',
  '{{ nothing }}|{{ missing }}|{{ missing.too }}|{{ user.missing.more }}',
  '{{ constructor }}{{ user.constructor }}{{ name.constructor }}{{ user.__proto__ }}',
  '{{ name.length }}|{{ list.length }}|{{ name.size }}|{{ list.size }}|{{ list.first }}|{{ user.size }}',
  '{{ list }}|{{ user.tags }}',
  '{{ true }}{{ false }}{{ nil }}{{ null }}{{ empty }}{{ blank }}',
  'a } b { c }} d',
  ' {{ name }} \n {{- name -}} \n ',
]

test.each(SAME_AS_LIQUID)('%s renders as in Liquid', source => {
  expect(compileText(source)(new Rendering(scope))).toBe(liquid.parseAndRenderSync(source, scope))
})

test.each([
  '{{ name | upcase }}',
  '{% if no %}x{% endif %}',
  '{{ list[0] }}',
  '{{- name }}',
  '{{ "text" }}',
  '{{ list.size }}',
])('%s requires Liquid', source => expect(parsePlainTemplate(source)).toBeUndefined())

test('a single expression keeps the type of its value', () => {
  const template = compileJson({
    n: '{{ n }}',
    no: '{{no}}',
    user: '{{ user.address }}',
    gone: '{{ missing }}',
    size: '{{ list.length }}',
  })
  expect(template(new Rendering(scope))).toEqual({ n: 0, no: false, user: { city: 'Arlington' }, size: 2 })
})

test('a definition needs Liquid only if one of its templates does', () => {
  const handler = { type: 'template', json: { hello: '{{ name }}', of: [{ city: '{{ user.city }}' }] } }
  expect(isPlainDefinition(handler)).toBe(true)
  expect(isPlainDefinition({ ...handler, emit: [{ log: { message: '{% if a %}b{% endif %}' } }] })).toBe(
    false,
  )
  expect(isPlainDefinition('{{ name | upcase }}')).toBe(false)
})
