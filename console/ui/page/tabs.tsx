import { Tabs as BaseTabs } from '@base-ui/react/tabs';
import { type ReactNode, useEffect, useRef } from 'react';
import classes from './tabs.module.css';

/** A part of a page that is shown in turn with others. */
export interface Tab<V extends string = string> {
  readonly value: V;
  readonly label: string;
  /** How many things are in it. */
  readonly count?: number | undefined;
  readonly content: ReactNode;
}

interface TabsProps<V extends string> {
  /** What the tabs are parts of, for those who do not see it. */
  readonly label: string;
  readonly tabs: readonly Tab<V>[];
  /** The tab that is shown, as a search parameter of the address says; the first one if it is none of them. */
  readonly value: string | undefined;
  readonly onValueChange: (value: V) => void;
  /** Whether tabs that are not shown stay in the page, as parts of one form have to. */
  readonly isKept?: boolean;
}

/** Parts of a page, of which one is shown. Arrow keys lead from one to the next. */
export function Tabs<V extends string>({ label, tabs, value, onValueChange, isKept = false }: TabsProps<V>): ReactNode {
  const shown = tabs.find((tab) => tab.value === value) ?? tabs[0];
  const list = useShownInSight();
  return (
    <BaseTabs.Root
      value={shown?.value ?? null}
      onValueChange={(chosen: V) => onValueChange(chosen)}
      className={classes.root ?? ''}
    >
      <BaseTabs.List ref={list} className={classes.list ?? ''} aria-label={label}>
        {tabs.map((tab) => (
          <BaseTabs.Tab key={tab.value} value={tab.value} className={classes.tab ?? ''}>
            {tab.label}
            {tab.count !== undefined && <span className={classes.count}>{tab.count}</span>}
          </BaseTabs.Tab>
        ))}
      </BaseTabs.List>
      {tabs.map((tab) => (
        <BaseTabs.Panel key={tab.value} value={tab.value} keepMounted={isKept} className={classes.panel ?? ''}>
          {tab.content}
        </BaseTabs.Panel>
      ))}
    </BaseTabs.Root>
  );
}

interface PageTabsProps {
  /** What the pages have in common, for those who do not see it. */
  readonly label: string;
  /** A link for each page; the router marks the one that is shown. */
  readonly children: ReactNode;
}

/** Leads to the pages of one subject, each with an address of its own. On a narrow screen the row scrolls. */
export function PageTabs({ label, children }: PageTabsProps) {
  const row = useShownInSight();
  return (
    <nav ref={row} aria-label={label} className={classes.links}>
      {children}
    </nav>
  );
}

// Scrolls the row, and nothing around it, to the tab that is shown.
function useShownInSight() {
  const row = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const shown = row.current?.querySelector<HTMLElement>('[aria-selected="true"], [aria-current="page"]');
    if (row.current !== null && shown != null) {
      row.current.scrollLeft = shown.offsetLeft - (row.current.clientWidth - shown.offsetWidth) / 2;
    }
  });
  return row;
}
