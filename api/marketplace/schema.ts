import { z } from 'zod';
import { ITEM_KINDS, SLUG } from '../../domain/marketplace.ts';
import { text } from '../../domain/core/text.ts';
import { destinationKindField } from '../destinations/schema.ts';
import { EXAMPLE_ID, EXAMPLE_TIME, flagParam, pageParams, timestamp } from '../http/fields.ts';

export const itemParams = z.object({
  slug: z.string().regex(SLUG).meta({ description: 'The name of the item, as in `research-assistant`' }),
});

export const itemsQuery = z.strictObject({
  q: text(200).min(1).optional().meta({ description: 'Words that the name, summary, tags or readme must contain' }),
  kind: z.enum(ITEM_KINDS).optional().meta({ description: 'Only items of this kind' }),
  tag: text(40).min(1).optional().meta({ description: 'Only items with this tag' }),
  ...pageParams,
});

export const installQuery = z.strictObject({
  edited: z.enum(['refuse', 'keep', 'replace']).default('refuse').meta({
    description:
      'What happens to records that were edited since they were installed. `refuse`: nothing is installed (409, with the differences). `keep`: they stay as they are, and `installed.kept` lists them. `replace`: the edits are lost.',
  }),
  change_source: flagParam(
    'Whether the item may replace one with the same slug that was installed from another source',
  ),
});

const recordKind = z.enum(['agent', 'tool', 'skill', 'persona']);

const installedField = z
  .object({
    version: z.string(),
    source: z.string().meta({ description: 'Where it came from' }),
    created_at: timestamp,
    updated_at: timestamp.meta({ description: 'When it was last upgraded' }),
    can_upgrade: z.boolean().meta({ description: 'Whether the item is newer and from the same source' }),
    kept: z.object({ kind: recordKind, key: z.string() }).meta({ id: 'KeptMarketplaceRecord' }).array().meta({
      description:
        'Records that were kept unchanged when it was installed with `edited=keep`, and differ from the item. `GET .../differences` shows the differences, and `edited=replace` overwrites them',
    }),
  })
  .nullable()
  .meta({ id: 'MarketplaceInstall', description: 'What the organization has installed; null when nothing is' });

const itemFields = {
  slug: z.string(),
  name: z.string(),
  kind: z.enum(ITEM_KINDS),
  version: z.string(),
  summary: z.string(),
  tags: z.string().array(),
  source: z
    .string()
    .meta({ description: '`builtin` for an item that ships with the service, or the address of its index' }),
  installed: installedField,
};

const EXAMPLE_ITEM = {
  slug: 'code-reviewer',
  name: 'Code reviewer',
  kind: 'bundle' as const,
  version: '1.1.0',
  summary: 'Reviews a change: correctness first, then tests, then clarity.',
  tags: ['development', 'review'],
  source: 'builtin',
  installed: {
    version: '1.0.0',
    source: 'builtin',
    created_at: EXAMPLE_TIME,
    updated_at: EXAMPLE_TIME,
    can_upgrade: true,
    kept: [{ kind: 'skill' as const, key: 'change_review' }],
  },
};

export const itemSchema = z.object(itemFields).meta({ id: 'MarketplaceItem', examples: [EXAMPLE_ITEM] });

export const itemDetailsSchema = z
  .object({
    ...itemFields,
    readme: z.string().meta({ description: 'Markdown' }),
    contains: z
      .object({ kind: recordKind, key: z.string(), name: z.string(), description: z.string() })
      .meta({ id: 'MarketplaceItemPart' })
      .array()
      .meta({ description: 'The records that it installs' }),
    files: z.object({ path: z.string(), content: z.string() }).meta({ id: 'MarketplaceItemFile' }).array(),
    needs: z
      .object({
        tools: z
          .object({ key: z.string(), is_available: z.boolean() })
          .meta({ id: 'MarketplaceItemTool' })
          .array()
          .meta({
            description: 'Tools in addition to the included ones; an agent works without those that are not available',
          }),
        skills: z.string().array(),
        credentials: z
          .string()
          .array()
          .meta({ description: 'The names of the integrations whose credentials its tools use' }),
        providers: z.string().array().meta({ description: 'What it requires of the model, human-readable' }),
        destinations: z
          .object({ kind: destinationKindField, is_available: z.boolean() })
          .meta({ id: 'MarketplaceItemDestination' })
          .array()
          .meta({
            description:
              'The kinds of destinations that its reports need, and whether the organization has a destination of the kind',
          }),
      })
      .meta({ id: 'MarketplaceItemNeeds' }),
  })
  .meta({
    id: 'MarketplaceItemDetails',
    examples: [
      {
        ...EXAMPLE_ITEM,
        readme: '# Code reviewer',
        contains: [{ kind: 'skill', key: 'change_review', name: 'Change review', description: 'Review a code change' }],
        files: [{ path: 'README.md', content: '# Code reviewer' }],
        needs: {
          tools: [{ key: 'file_read', is_available: true }],
          skills: [],
          credentials: [],
          providers: [],
          destinations: [{ kind: 'slack', is_available: false }],
        },
      },
    ],
  });

export const installationSchema = z
  .object({
    slug: z.string(),
    version: z.string(),
    records: z
      .object({
        kind: recordKind,
        id: z.uuid(),
        key: z.string(),
        name: z.string(),
        outcome: z.enum(['created', 'updated', 'unchanged', 'kept']),
      })
      .meta({ id: 'InstalledRecord' })
      .array(),
  })
  .meta({
    id: 'Installation',
    examples: [
      {
        slug: 'code-reviewer',
        version: '1.1.0',
        records: [{ kind: 'skill', id: EXAMPLE_ID, key: 'change_review', name: 'Change review', outcome: 'updated' }],
      },
    ],
  });

export const differencesSchema = z
  .object({
    slug: z.string(),
    version: z.string().meta({ description: 'The version of the item that the records are compared to' }),
    files: z
      .object({
        kind: recordKind,
        key: z.string(),
        path: z.string(),
        is_foreign: z
          .boolean()
          .meta({ description: 'Whether the record was not installed from the item and merely has the same key' }),
        difference: z
          .string()
          .nullable()
          .meta({ description: "A unified diff from your file to the item's; null when it is not shown" }),
        note: z.string().nullable().meta({ description: 'Why the difference is not shown, or is truncated' }),
      })
      .meta({ id: 'MarketplaceFileDifference' })
      .array(),
    uncompared: z
      .object({ kind: recordKind, key: z.string() })
      .meta({ id: 'UncomparedMarketplaceRecord' })
      .array()
      .meta({ description: 'Records that differ but are too large to be compared' }),
  })
  .meta({
    id: 'MarketplaceDifferences',
    examples: [
      {
        slug: 'code-reviewer',
        version: '1.1.0',
        files: [
          {
            kind: 'skill',
            key: 'change_review',
            path: 'SKILL.md',
            is_foreign: false,
            difference: '--- skills/change_review/SKILL.md\tyours\n+++ skills/change_review/SKILL.md\t1.1.0\n...',
            note: null,
          },
        ],
        uncompared: [],
      },
    ],
  });
