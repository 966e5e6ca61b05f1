import { useParams } from '@tanstack/react-router';
import { Download } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useRefusal } from '../core/permissions.ts';
import { useOrgId } from '../core/session/session-context.tsx';
import { Button } from '../ui/controls/button.tsx';
import { Markdown } from '../ui/markdown/markdown.tsx';
import { Dialog } from '../ui/overlays/dialog.tsx';
import { BackLink } from '../ui/controls/back-link.tsx';
import { Badge } from '../ui/page/badge.tsx';
import { Facts } from '../ui/page/facts.tsx';
import { Loaded } from '../ui/page/loaded.tsx';
import { Page } from '../ui/page/page.tsx';
import { Section } from '../ui/page/section.tsx';
import { showInvisible } from '../ui/visible.ts';
import classes from './marketplace.module.css';
import { InstallForm } from './install-form.tsx';
import { type ItemDetails, useItem } from './queries.ts';
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
      back={
        <BackLink to="/o/$orgId/marketplace" params={{ orgId }}>
          {text.title}
        </BackLink>
      }
      lead={showInvisible(item.summary)}
      actions={
        <Button look="primary" reason={refusal} onClick={() => setIsAsked(true)}>
          <Download aria-hidden />
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
            { label: text.tools, value: <NeededTools tools={needs.tools} /> },
            { label: text.credentials, value: names(needs.credentials) },
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

function NeededTools({ tools }: { readonly tools: ItemDetails['needs']['tools'] }): ReactNode {
  const text = useMarketplaceText();
  if (tools.length === 0) return text.nothing;
  return (
    <span className={classes.tools}>
      {tools.map(({ key, is_available: isAvailable }) => (
        <span key={key}>
          {showInvisible(key)} {!isAvailable && <Badge tone="warn">{text.notHere}</Badge>}
        </span>
      ))}
    </span>
  );
}

function actionOf({ installed, version }: ItemDetails, text: MarketplaceText): string {
  if (installed === null) return text.install;
  return installed.can_upgrade ? text.upgradeTo(showInvisible(version)) : text.again;
}
