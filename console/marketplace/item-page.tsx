import { useParams } from '@tanstack/react-router';
import { Download } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useRefusal } from '../core/permissions.ts';
import { useOrgId } from '../core/session/session-context.tsx';
import { CodeBlock } from '../ui/code/code-block.tsx';
import { Button } from '../ui/controls/button.tsx';
import { Form } from '../ui/controls/form.tsx';
import { SelectField } from '../ui/fields/select-field.tsx';
import { Markdown } from '../ui/markdown/index.ts';
import { Dialog } from '../ui/overlays/dialog.tsx';
import { useToast } from '../ui/overlays/toast.tsx';
import { BackLink } from '../ui/controls/back-link.tsx';
import { Facts } from '../ui/page/facts.tsx';
import { Loaded } from '../ui/page/loaded.tsx';
import { Page } from '../ui/page/page.tsx';
import { Section } from '../ui/page/section.tsx';
import { showInvisible } from '../ui/visible.ts';
import classes from './marketplace.module.css';
import { type Edited, type ItemDetails, useDifferences, useInstall, useItem } from './queries.ts';
import { useMarketplaceText } from './text.ts';

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
      back={
        <BackLink to="/o/$orgId/marketplace" params={{ orgId }}>
          {text.title}
        </BackLink>
      }
      lead={showInvisible(item.summary)}
      actions={
        <Button look="primary" reason={refusal} onClick={() => setIsAsked(true)}>
          <Download aria-hidden />
          {installed?.can_upgrade === true ? text.upgradeTo(item.version) : text.install}
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
            { label: text.tools, value: names(needs.tools.map(({ key }) => key)) },
            { label: text.credentials, value: names(needs.credentials) },
            { label: text.model, value: names(needs.providers) },
            { label: text.source, value: showInvisible(item.source) },
            { label: text.version, value: showInvisible(item.version) },
            { label: text.installed, value: installed === null ? text.nothing : showInvisible(installed.version) },
          ]}
        />
      </Section>
      <Section title={text.readme}>
        <Markdown text={item.readme} />
      </Section>
      <Dialog open={isAsked} onClose={() => setIsAsked(false)} title={text.installTitle(showInvisible(item.name))}>
        <InstallForm slug={item.slug} name={item.name} onDone={() => setIsAsked(false)} />
      </Dialog>
    </Page>
  );
}

interface InstallFormProps {
  readonly slug: string;
  readonly name: string;
  readonly onDone: () => void;
}

const CHOICES: readonly Edited[] = ['refuse', 'keep', 'replace'];

function InstallForm({ slug, name, onDone }: InstallFormProps): ReactNode {
  const text = useMarketplaceText();
  const [differences, install, toast] = [useDifferences(slug), useInstall(), useToast()];
  const [edited, setEdited] = useState<Edited>('refuse');
  return (
    <Form
      submitLabel={text.install}
      onSubmit={async () => {
        await install(slug, edited);
        toast(text.done(showInvisible(name)));
        onDone();
      }}
    >
      <Loaded query={differences}>
        {({ files }) =>
          files.length === 0 ? (
            <p className={classes.soft}>{text.noDifferences}</p>
          ) : (
            <div className={classes.name}>
              {files.map(({ kind, key, path, difference, note }) => (
                <div key={`${kind} ${key} ${path}`}>
                  <h3 className={classes.soft}>{showInvisible(`${key}/${path}`)}</h3>
                  {difference === null ? (
                    <p className={classes.soft}>{showInvisible(note ?? '')}</p>
                  ) : (
                    <CodeBlock code={difference} language="diff" />
                  )}
                </div>
              ))}
            </div>
          )
        }
      </Loaded>
      <SelectField
        label={text.edited}
        name="edited"
        options={CHOICES.map((each) => ({ value: each, label: text.editeds[each] }))}
        value={edited}
        onValueChange={setEdited}
      />
    </Form>
  );
}
