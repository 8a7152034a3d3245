import * as z from 'zod'
import { jsonObject } from '../json/json-value.ts'
import { described, named } from '../json/schema-metadata.ts'

/** Liquid template. Reads the arguments by name, `args`, `data`, `env` (declared names) and `context`. */
export const liquid = z.string()

export const metaField = jsonObject.describe('MCP `_meta`, passed to clients unchanged.')

export const iconSchema = named('Icon', 'An icon that clients may show.').strictObject({
  src: z.string().min(1).meta(described('URL or data URI of the image.', 'https://example.com/icon.png')),
  mimeType: z.string().optional().meta(described('Media type of the image.', 'image/png')),
  sizes: z
    .array(z.string())
    .optional()
    .meta(described('Sizes that the image is designed for.', ['48x48', 'any'])),
  theme: z.enum(['light', 'dark']).optional().describe('Theme the icon is designed for.'),
})

export const contentAnnotations = named('ContentAnnotations', 'MCP annotations of content.').strictObject({
  audience: z
    .array(z.enum(['user', 'assistant']))
    .optional()
    .describe('Intended audience of the content.'),
  priority: z.number().min(0).max(1).optional().describe('Importance: 0 is optional, 1 is required.'),
  lastModified: z
    .string()
    .optional()
    .meta(described('ISO 8601 time of the last change.', '2026-11-22T12:00:00Z')),
})

const contentExtras = { annotations: contentAnnotations.optional(), _meta: metaField.optional() }

const mimeType = liquid.describe('Media type. A Liquid template.')
const base64 = liquid.describe('Base64 data. A Liquid template.')

/** An MCP content block. Every string in it is a Liquid template. */
export const contentBlockSchema = z
  .discriminatedUnion('type', [
    named('TextContent', 'Text.').strictObject({
      type: z.literal('text').describe('Kind of block.'),
      text: liquid.describe('The text. A Liquid template.'),
      ...contentExtras,
    }),
    named('ImageContent', 'An image.').strictObject({
      type: z.literal('image').describe('Kind of block.'),
      data: base64,
      mimeType,
      ...contentExtras,
    }),
    named('AudioContent', 'Audio.').strictObject({
      type: z.literal('audio').describe('Kind of block.'),
      data: base64,
      mimeType,
      ...contentExtras,
    }),
    named('EmbeddedResource', 'A resource inside the answer.').strictObject({
      type: z.literal('resource').describe('Kind of block.'),
      resource: z
        .strictObject({
          uri: liquid.describe('URI of the resource. A Liquid template.'),
          mimeType: mimeType.optional(),
          text: liquid.optional().describe('Text of the resource. A Liquid template.'),
          blob: liquid.optional().describe('Base64 content of the resource. A Liquid template.'),
          _meta: metaField.optional(),
        })
        .describe('The resource.'),
      ...contentExtras,
    }),
    named('ResourceLink', 'A link to a resource.').strictObject({
      type: z.literal('resource_link').describe('Kind of block.'),
      uri: liquid.describe('URI of the resource. A Liquid template.'),
      name: liquid.describe('Name of the resource. A Liquid template.'),
      title: liquid.optional().describe('Display name. A Liquid template.'),
      description: liquid.optional().describe('Description of the resource. A Liquid template.'),
      mimeType: mimeType.optional(),
      ...contentExtras,
    }),
  ])
  .meta({ id: 'ContentBlock', description: 'An MCP content block. Every string in it is a Liquid template.' })

export type ContentBlock = z.infer<typeof contentBlockSchema>
