import type { BuiltinTool } from '../define-tool.ts';
import { emailRead } from './communication/email-read.ts';
import { emailSend } from './communication/email-send.ts';
import { csvProcess } from './data/csv-process.ts';
import { dataConvert } from './data/data-convert.ts';
import { database } from './data/database.ts';
import { redis } from './data/redis.ts';
import { jsonQuery } from './data/json-query.ts';
import { archive } from './filesystem/archive/archive.ts';
import { docxCreate } from './documents/docx-create.ts';
import { docxRead } from './documents/docx-read.ts';
import { markdownConvert } from './documents/markdown-convert.ts';
import { pdfCreate } from './documents/pdf-create.ts';
import { pdfRead } from './documents/pdf-read.ts';
import { xlsxRead } from './documents/xlsx-read.ts';
import { xlsxWrite } from './documents/xlsx-write.ts';
import { fileDelete } from './filesystem/file-delete.ts';
import { fileEdit } from './filesystem/file-edit.ts';
import { fileFind } from './filesystem/file-find.ts';
import { fileGrep } from './filesystem/file-grep.ts';
import { fileList } from './filesystem/file-list.ts';
import { fileMove } from './filesystem/file-move.ts';
import { fileRead } from './filesystem/file-read.ts';
import { fileWrite } from './filesystem/file-write.ts';
import { gitBranch } from './git/git-branch.ts';
import { gitClone } from './git/git-clone.ts';
import { gitCommit } from './git/git-commit.ts';
import { gitDiff } from './git/git-diff.ts';
import { gitPull } from './git/git-pull.ts';
import { gitPush } from './git/git-push.ts';
import { git } from './git/git.ts';
import { knowledgeAdd } from './knowledge/knowledge-add.ts';
import { knowledgeSearch } from './knowledge/knowledge-search.ts';
import { memoryManage } from './knowledge/memory-manage.ts';
import { skillRead } from './knowledge/skill-read.ts';
import { chartCreate } from './media/chart-create.ts';
import { imageProcess } from './media/image-process.ts';
import { issueManage } from './planning/issue-manage.ts';
import { planCreate } from './planning/plan-create.ts';
import { taskCreate } from './planning/task-create.ts';
import { taskUpdate } from './planning/task-update.ts';
import { agentBroadcast } from './platform/agent-broadcast.ts';
import { approvalRequest } from './platform/approval-request.ts';
import { platformCreateAgent } from './platform/platform-create-agent.ts';
import { platformCreateTool } from './platform/platform-create-tool.ts';
import { platformInspect } from './platform/platform-inspect.ts';
import { scheduleManage } from './platform/schedule-manage.ts';
import { workflowTrigger } from './platform/workflow-trigger.ts';
import { codeRun } from './shell/code-run.ts';
import { sentry } from './devops/sentry.ts';
import { shellRun } from './shell/shell-run.ts';
import { mathEvaluate } from './utility/math-evaluate.ts';
import { textTransform } from './utility/text-transform.ts';
import { timeNow } from './utility/time-now.ts';
import { browserPage } from './web/browser/browser-page.ts';
import { httpRequest } from './web/http-request.ts';
import { rssRead } from './web/rss-read.ts';
import { webSearch } from './web/search/web-search.ts';
import { urlCheck } from './web/url-check.ts';
import { webScrape } from './web/web-scrape.ts';
import { wikipediaSearch } from './web/wikipedia-search.ts';

/** Every builtin tool that the worker runs. */
export const BUILTIN_TOOLS: readonly BuiltinTool[] = [
  agentBroadcast,
  approvalRequest,
  archive,
  browserPage,
  chartCreate,
  codeRun,
  csvProcess,
  dataConvert,
  database,
  docxCreate,
  docxRead,
  emailRead,
  emailSend,
  fileDelete,
  fileEdit,
  fileFind,
  fileGrep,
  fileList,
  fileMove,
  fileRead,
  fileWrite,
  git,
  gitBranch,
  gitClone,
  gitCommit,
  gitDiff,
  gitPull,
  gitPush,
  httpRequest,
  imageProcess,
  issueManage,
  jsonQuery,
  knowledgeAdd,
  knowledgeSearch,
  markdownConvert,
  mathEvaluate,
  memoryManage,
  pdfCreate,
  pdfRead,
  planCreate,
  platformCreateAgent,
  platformCreateTool,
  platformInspect,
  rssRead,
  redis,
  scheduleManage,
  sentry,
  shellRun,
  skillRead,
  taskCreate,
  taskUpdate,
  textTransform,
  timeNow,
  urlCheck,
  webScrape,
  webSearch,
  wikipediaSearch,
  workflowTrigger,
  xlsxRead,
  xlsxWrite,
];
