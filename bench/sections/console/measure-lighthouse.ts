import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { z } from 'zod';
import { signInAt } from '../../../test/support/console/opened-chat.ts';
import { createAgent, createChat, createProvider, registerUser } from '../../../test/support/factories.ts';
import { freePort } from '../../../test/support/free-port.ts';
import { installPackages } from '../../instance/install-packages.ts';
import { fillChat } from '../../instance/open-chat.ts';
import type { Instance } from '../../instance/instance.ts';
import { figure, printHeading, printRows, type Target } from '../../report/target.ts';
import type { Bench, SectionResult } from '../../section.ts';
import { launchOptions } from './open-browser.ts';

const PACKAGES = fileURLToPath(new URL('./lighthouse', import.meta.url));
const CATEGORIES = ['performance', 'accessibility'] as const;
/** The two forms of Lighthouse: a phone with a slow network, and its preset of a desktop. */
const FORMS = ['phone', 'desktop'] as const;
const WANTED_SCORE = 95;
const WANTED_SHIFT = 0.02;

/** Measures and prints the scores of Lighthouse for the main pages, each opened without a cache. */
export async function measureLighthouse({ instance, undo }: Bench): Promise<SectionResult> {
  const audit = await loadLighthouse();
  const { executablePath, args } = await launchOptions();
  const profile = mkdtempSync(join(tmpdir(), 'everturn-bench-lighthouse-'));
  const port = await freePort();
  const browser = await chromium.launchPersistentContext(profile, {
    executablePath,
    args: [`--remote-debugging-port=${port}`, ...args],
  });
  undo.add(async () => {
    await browser.close();
    rmSync(profile, { recursive: true, force: true });
  });
  const { user, paths } = await makePages(instance);
  const root = `${instance.apiUrl}/o/${user.orgId}`;
  const page = await browser.newPage();
  await signInAt(page, root, user);
  await page.getByRole('navigation').first().waitFor();
  const scores: Score[] = [];
  for (const form of FORMS)
    for (const path of paths) scores.push({ ...(await audit(`${root}${path}`, { port, form })), form, path });
  await browser.close();
  printHeading('The main pages by Lighthouse');
  printRows([
    ['', 'performance', 'accessibility', 'layout shift', 'largest paint, ms', 'blocked, ms'],
    ...scores.map(({ form, path, performance, accessibility, shift, paintMs, blockedMs }) => [
      `${form}: ${path.replace(/\/[\da-f-]{36}/u, '/{id}') || '/'}`,
      ...[performance, accessibility].map((score) => figure(score, 0)),
      figure(shift, 3),
      ...[paintMs, blockedMs].map((time) => figure(time, 0)),
    ]),
  ]);
  return { targets: FORMS.flatMap((form) => targetsOf(form, scores)) };
}

interface Score extends Audit {
  readonly form: Form;
  readonly path: string;
}

function targetsOf(form: Form, all: readonly Score[]): readonly Target[] {
  const scores = all.filter((score) => score.form === form);
  const lowest = (name: (typeof CATEGORIES)[number]): Target => ({
    name: `Lighthouse, ${form}: lowest ${name}`,
    measured: Math.min(...scores.map((score) => score[name])),
    bound: WANTED_SCORE,
    better: 'more',
    unit: '',
  });
  const largestShift = Math.max(...scores.map(({ shift }) => shift));
  const shift = { name: `Lighthouse, ${form}: largest layout shift`, measured: largestShift, bound: WANTED_SHIFT };
  return [...CATEGORIES.map(lowest), { ...shift, better: 'less', unit: '' }];
}

/** Makes what the main pages show. */
async function makePages({ apiUrl, model, databaseUrl }: Instance) {
  const user = await registerUser(apiUrl);
  await createProvider(user.client, model.url);
  const agentId = await createAgent(user.client, { name: 'Lead' });
  const id = await createChat(user.client, agentId);
  await fillChat(databaseUrl, { user, id }, 40);
  const prompt = 'Write the report of last week.';
  await user.client.post('/api/schedules', { name: 'Weekly', agent_id: agentId, cron_expr: '0 9 * * mon', prompt });
  await user.client.post('/api/tasks', { title: 'Compare the offers' });
  const paths = ['', `/chats/${id}`, '/agents', `/agents/${agentId}`, '/schedules', '/tasks', '/inbox', '/runs'];
  return { user, paths };
}

type Form = (typeof FORMS)[number];

interface Audit {
  /** Scores from 0 to 100. */
  readonly performance: number;
  readonly accessibility: number;
  readonly shift: number;
  readonly paintMs: number;
  readonly blockedMs: number;
}

const value = z.object({ numericValue: z.number() });
const category = z.object({ score: z.number() });
/** The part of a report of Lighthouse that is read, as its `types/lhr/lhr.d.ts` has it. */
const reportSchema = z.object({
  lhr: z.object({
    categories: z.object({ performance: category, accessibility: category }),
    audits: z.object({
      'cumulative-layout-shift': value,
      'largest-contentful-paint': value,
      'total-blocking-time': value,
    }),
  }),
});

interface LighthouseModules {
  default(url: string, flags: { readonly port: number }, config: object): Promise<unknown>;
  readonly desktopConfig: object;
}

/** Loads Lighthouse; returns what audits a page in the browser that is signed in. */
async function loadLighthouse() {
  const folder = join(await installPackages('lighthouse', PACKAGES), 'node_modules/lighthouse/core/index.js');
  const { default: lighthouse, desktopConfig } = (await import(pathToFileURL(folder).href)) as LighthouseModules;
  const settings = { onlyCategories: CATEGORIES, disableStorageReset: true };
  return async (url: string, { port, form }: { readonly port: number; readonly form: Form }): Promise<Audit> => {
    const base = form === 'desktop' ? desktopConfig : { extends: 'lighthouse:default' };
    const inherited = 'settings' in base ? (base.settings as object) : {};
    const report = await lighthouse(url, { port }, { ...base, settings: { ...inherited, ...settings } });
    const { categories, audits } = reportSchema.parse(report).lhr;
    return {
      performance: categories.performance.score * 100,
      accessibility: categories.accessibility.score * 100,
      shift: audits['cumulative-layout-shift'].numericValue,
      paintMs: audits['largest-contentful-paint'].numericValue,
      blockedMs: audits['total-blocking-time'].numericValue,
    };
  };
}
