import { Link, useParams } from '@tanstack/react-router';
import { Download } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import {
  type Differences,
  type Edited,
  type Installation,
  type Item,
  type ItemDetails,
  useDifferences,
  useInstall,
  useItem,
} from './queries.ts';
import { useRefusal } from '../core/permissions.ts';
import { useOrgId } from '../core/session/session-context.tsx';
import { CodeBlock } from '../ui/code/code-block.tsx';
import { BackLink, Button } from '../ui/controls/button.tsx';
import { Form } from '../ui/controls/form.tsx';
import { CheckboxField, SelectField } from '../ui/fields/fields.tsx';
import { Markdown } from '../ui/markdown/markdown.tsx';
import { Dialog } from '../ui/overlays/dialog.tsx';
import { Badge, Facts, Loaded, Page, Section } from '../ui/page/page.tsx';
import { showInvisible } from '../ui/visible.ts';
import classes from './marketplace.module.css';
import { type MarketplaceText, useMarketplaceText } from './text.ts';

/** One item: what it holds and may do, and what an install would change. */
export function ItemPage(): ReactNode {
  const { slug } = useParams({ from: '/o/$orgId/marketplace/$slug' });
  const item = useItem(slug);
  return <Loaded query={item}>{(details) => <OpenItem key={slug} item={details} />}</Loaded>;
}

function OpenItem({ item }: { readonly item: ItemDetails }): ReactNode {
  const text = useMarketplaceText();
  const orgId = useOrgId();
  const refusal = useRefusal('marketplace.manage');
  const [isAsked, setIsAsked] = useState(false);
  const { needs, installed } = item;
  const names = (all: readonly string[]) => (all.length === 0 ? text.nothing : all.map(showInvisible).join(', '));
  return (
    <Page
      title={showInvisible(item.name)}
      back={<BackLink to="/o/$orgId/marketplace" params={{ orgId }} label={text.title} />}
      lead={showInvisible(item.summary)}
      actions={
        <Button icon={Download} variant="primary" reason={refusal} onClick={() => setIsAsked(true)}>
          {actionOf(item, text)}
        </Button>
      }
    >
      <Section title={text.contains}>
        <Facts
          facts={[
            ...item.contains.map(({ kind, name, description }) => ({
              label: `${text.kinds[kind]}: ${showInvisible(name)}`,
              value: showInvisible(description),
            })),
            {
              label: text.tools,
              value: <Needed things={needs.tools.map(({ key, ...tool }) => ({ name: key, ...tool }))} />,
            },
            { label: text.credentials, value: names(needs.credentials) },
            ...(needs.destinations.length > 0
              ? [
                  {
                    label: text.destinations,
                    value: <Needed things={needs.destinations.map(({ kind, ...each }) => ({ name: kind, ...each }))} />,
                  },
                ]
              : []),
            { label: text.model, value: names(needs.providers) },
            { label: text.source, value: showInvisible(item.source) },
            { label: text.version, value: showInvisible(item.version) },
            { label: text.installed, value: installed === null ? text.nothing : showInvisible(installed.version) },
            ...(installed !== null && installed.kept.length > 0
              ? [{ label: text.kept, value: names(installed.kept.map(({ key }) => key)) }]
              : []),
          ]}
        />
      </Section>
      <Section title={text.readme}>
        <Markdown text={item.readme} />
      </Section>
      <Dialog open={isAsked} onClose={() => setIsAsked(false)} title={text.installTitle(showInvisible(item.name))}>
        <InstallForm item={item} onClose={() => setIsAsked(false)} />
      </Dialog>
    </Page>
  );
}

interface InstallFormProps {
  readonly item: Item;
  readonly onClose: () => void;
}

/** Shows what an install would change of what the organization has, installs, and says what came of it. */
function InstallForm({ item, onClose }: InstallFormProps): ReactNode {
  const differences = useDifferences(item.slug);
  const [done, setDone] = useState<Installation>();
  if (done !== undefined) return <Installed item={item} done={done} onClose={onClose} />;
  return <Loaded query={differences}>{(found) => <Ask item={item} differences={found} onDone={setDone} />}</Loaded>;
}

interface AskProps {
  readonly item: Item;
  readonly differences: Differences;
  readonly onDone: (done: Installation) => void;
}

const CHOICES: readonly Edited[] = ['refuse', 'keep', 'replace'];

function Ask({ item, differences, onDone }: AskProps): ReactNode {
  const text = useMarketplaceText();
  const install = useInstall();
  const records = differingRecords(differences);
  const taken = records.filter(({ isForeign }) => isForeign);
  const isEdited = records.length > taken.length;
  const [edited, setEdited] = useState<Edited>('refuse');
  const [isOther, setIsOther] = useState(false);
  const otherSource = item.installed !== null && item.installed.source !== item.source ? item.installed.source : null;
  const names = taken.map(({ kind, key }) => `${text.kinds[kind]} ${showInvisible(key)}`).join(', ');
  return (
    <Form
      submitLabel={text.install}
      reason={otherSource !== null && !isOther ? text.otherSourceFirst : undefined}
      // What follows are the differences, which stand above already.
      describe={({ status, message }) => (status === 409 ? message.split('\n')[0] : undefined)}
      onSubmit={async () =>
        // Whose names are taken stay in any case: without that, nothing could be installed.
        onDone(await install(item.slug, { edited: taken.length > 0 ? 'keep' : edited, changesSource: isOther }))
      }
    >
      <p className="soft font-normal wrap-anywhere">{text.startsNothing}</p>
      {records.length === 0 && <p>{text.noDifferences}</p>}
      {taken.length > 0 && <p className={classes.notice}>{text.taken(names)}</p>}
      {records.map((record) => (
        <section key={`${record.kind} ${record.key}`} className={`list min-w-0 ${classes.record}`}>
          <h3>
            {text.kinds[record.kind]} {showInvisible(record.key)}{' '}
            <Badge tone={record.isForeign ? 'calm' : 'warn'}>{record.isForeign ? text.yours : text.editedByYou}</Badge>
          </h3>
          {record.files.map(({ path, difference, note }) => (
            <div key={path}>
              <p className="soft font-normal wrap-anywhere">{showInvisible(path)}</p>
              {difference !== null && <CodeBlock code={difference} language="diff" />}
              {note !== null && <p className="soft font-normal wrap-anywhere">{showInvisible(note)}</p>}
            </div>
          ))}
          {record.files.length === 0 && <p className="soft font-normal wrap-anywhere">{text.uncompared}</p>}
        </section>
      ))}
      {isEdited && taken.length === 0 && (
        <SelectField
          label={text.edited}
          name="edited"
          options={CHOICES.map((each) => ({ value: each, label: text.editeds[each] }))}
          value={edited}
          onValueChange={setEdited}
        />
      )}
      {otherSource !== null && (
        <CheckboxField
          label={text.otherSource(showInvisible(otherSource))}
          name="change_source"
          hint={text.otherSourceHint}
          value={isOther}
          onValueChange={setIsOther}
        />
      )}
    </Form>
  );
}

const PAGES = {
  agent: '/o/$orgId/agents/$agentId',
  skill: '/o/$orgId/skills/$definitionId',
  tool: '/o/$orgId/tools/$definitionId',
  persona: '/o/$orgId/personas/$definitionId',
} as const;

interface InstalledProps extends InstallFormProps {
  readonly done: Installation;
}

function Installed({ item, done, onClose }: InstalledProps): ReactNode {
  const [text, orgId] = [useMarketplaceText(), useOrgId()];
  return (
    <div className="stack">
      <output>{text.done(showInvisible(item.name))}</output>
      <ul className={`list ${classes.records}`}>
        {done.records.map(({ kind, id, name, outcome }) => (
          <li key={id}>
            <span>
              {text.kinds[kind]}{' '}
              <Link to={PAGES[kind]} params={{ orgId, agentId: id, definitionId: id }}>
                {showInvisible(name)}
              </Link>
            </span>
            <Badge tone={outcome === 'kept' ? 'warn' : 'calm'}>{text.outcomes[outcome]}</Badge>
          </li>
        ))}
      </ul>
      <div>
        <Button variant="primary" onClick={onClose}>
          {text.close}
        </Button>
      </div>
    </div>
  );
}

interface NeededProps {
  readonly things: readonly { readonly name: string; readonly is_available: boolean }[];
}

function Needed({ things }: NeededProps): ReactNode {
  const text = useMarketplaceText();
  if (things.length === 0) return text.nothing;
  return (
    <span className={classes.needed}>
      {things.map(({ name, is_available: isAvailable }) => (
        <span key={name}>
          {showInvisible(name)} {!isAvailable && <Badge tone="warn">{text.notHere}</Badge>}
        </span>
      ))}
    </span>
  );
}

function actionOf({ installed, version }: ItemDetails, text: MarketplaceText): string {
  if (installed === null) return text.install;
  return installed.can_upgrade ? text.upgradeTo(showInvisible(version)) : text.again;
}

type File = Differences['files'][number];

/** A record of the organization that differs from that of an item. */
interface DifferingRecord {
  readonly kind: File['kind'];
  readonly key: string;
  /** Whether it only has the name, and was not installed from the item. */
  readonly isForeign: boolean;
  /** None of one that is too large to be compared. */
  readonly files: readonly File[];
}

/** Returns the records that differ, each with its files, in the order in which they were compared. */
export function differingRecords({ files, uncompared }: Differences): readonly DifferingRecord[] {
  const byRecord = new Map<string, File[]>();
  for (const file of files) {
    const id = `${file.kind} ${file.key}`;
    byRecord.set(id, [...(byRecord.get(id) ?? []), file]);
  }
  const compared = [...byRecord.values()].flatMap((own): DifferingRecord[] => {
    const [first] = own;
    return first === undefined ? [] : [{ kind: first.kind, key: first.key, isForeign: first.is_foreign, files: own }];
  });
  return [...compared, ...uncompared.map(({ kind, key }) => ({ kind, key, isForeign: false, files: [] }))];
}
