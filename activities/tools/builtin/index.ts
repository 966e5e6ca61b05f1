import type { BuiltinTool } from '../define-tool.ts';
import { hubspot } from './business/hubspot.ts';
import { stripe } from './business/stripe.ts';
import { airtable } from './data/airtable.ts';
import { emailRead } from './communication/email-read.ts';
import { emailSend } from './communication/email-send.ts';
import { csvProcess } from './data/csv-process.ts';
import { dataConvert } from './data/data-convert.ts';
import { jsonQuery } from './data/json-query.ts';
import { database, redis } from './data/database.ts';
import { archive } from './filesystem/archive.ts';
import { docxCreate, pdfCreate, xlsxWrite } from './documents/write-documents.ts';
import { docxRead, markdownConvert, pdfRead, xlsxRead } from './documents/read-documents.ts';
import { fileDelete, fileEdit, fileMove, fileWrite } from './filesystem/write-files.ts';
import { fileFind, fileList } from './filesystem/find-files.ts';
import { fileGrep } from './filesystem/file-grep.ts';
import { fileRead } from './filesystem/file-read.ts';
import { git, gitBranch, gitCommit, gitDiff } from './git/git.ts';
import { gitClone } from './git/git-clone.ts';
import { gitPull } from './git/git-pull.ts';
import { gitPush } from './git/git-push.ts';
import { githubActions } from './github/github-actions.ts';
import { githubApi } from './github/repo-parameter.ts';
import { githubIssue } from './github/github-issue.ts';
import { githubPullRequest } from './github/github-pull-request.ts';
import { gitlabApi } from './gitlab/project-parameter.ts';
import { gitlabIssue } from './gitlab/gitlab-issue.ts';
import { gitlabMergeRequest } from './gitlab/gitlab-merge-request.ts';
import { gitlabPipeline } from './gitlab/gitlab-pipeline.ts';
import { slack } from './communication/slack.ts';
import { discord } from './communication/discord.ts';
import { telegram } from './communication/telegram.ts';
import { msTeams } from './communication/ms-teams.ts';
import { knowledgeAdd, knowledgeSearch } from './knowledge/knowledge.ts';
import { memoryManage } from './knowledge/memory-manage.ts';
import { confluence } from './knowledge/confluence.ts';
import { notion } from './knowledge/notion/notion.ts';
import { skillRead } from './knowledge/skill-read.ts';
import { audioTranscribe } from './media/audio-transcribe.ts';
import { chartCreate } from './media/chart-create.ts';
import { imageGenerate, imageProcess } from './media/images.ts';
import { issueManage } from './planning/issue-manage.ts';
import { planCreate } from './planning/plan-create.ts';
import { taskCreate, taskUpdate } from './planning/tasks.ts';
import { agentBroadcast } from './platform/agent-broadcast.ts';
import { approvalRequest } from './platform/approval-request.ts';
import { platformCreateAgent, platformCreateTool } from './platform/platform-create.ts';
import { platformInspect } from './platform/platform-inspect.ts';
import { scheduleManage } from './platform/schedule-manage.ts';
import { workflowTrigger } from './platform/workflow-trigger.ts';
import { codeRun } from './shell/code-run.ts';
import { googleDrive } from './cloud/google-drive.ts';
import { kubernetes } from './cloud/kubernetes/kubernetes.ts';
import { s3 } from './cloud/s3.ts';
import { gmail } from './communication/gmail.ts';
import { googleCalendar } from './communication/google-calendar.ts';
import { googleSheets } from './data/google-sheets.ts';
import { pagerduty } from './devops/pagerduty.ts';
import { prometheusQuery } from './devops/prometheus-query.ts';
import { sentry } from './devops/sentry.ts';
import { shellRun } from './shell/shell-run.ts';
import { mathEvaluate } from './utility/math-evaluate.ts';
import { textTransform } from './utility/text-transform.ts';
import { timeNow } from './utility/time-now.ts';
import { browserPage } from './web/browser-page.ts';
import { asana } from './project-management/asana.ts';
import { jira } from './project-management/jira.ts';
import { linear } from './project-management/linear.ts';
import { httpRequest } from './web/http-request.ts';
import { rssRead } from './web/rss-read.ts';
import { webSearch } from './web/web-search.ts';
import { urlCheck } from './web/url-check.ts';
import { webScrape } from './web/web-scrape.ts';
import { wikipediaSearch } from './web/wikipedia-search.ts';

/** Every builtin tool that the worker runs. */
export const BUILTIN_TOOLS: readonly BuiltinTool[] = [
  agentBroadcast,
  airtable,
  approvalRequest,
  archive,
  asana,
  audioTranscribe,
  browserPage,
  chartCreate,
  codeRun,
  confluence,
  csvProcess,
  dataConvert,
  discord,
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
  githubActions,
  githubApi,
  githubIssue,
  githubPullRequest,
  gitlabApi,
  gitlabIssue,
  gitlabMergeRequest,
  gitlabPipeline,
  gitPull,
  gitPush,
  httpRequest,
  hubspot,
  imageGenerate,
  imageProcess,
  issueManage,
  jira,
  jsonQuery,
  knowledgeAdd,
  knowledgeSearch,
  kubernetes,
  linear,
  markdownConvert,
  mathEvaluate,
  memoryManage,
  msTeams,
  notion,
  pagerduty,
  pdfCreate,
  pdfRead,
  planCreate,
  platformCreateAgent,
  platformCreateTool,
  platformInspect,
  prometheusQuery,
  rssRead,
  redis,
  scheduleManage,
  sentry,
  s3,
  gmail,
  googleCalendar,
  googleSheets,
  googleDrive,
  shellRun,
  skillRead,
  stripe,
  slack,
  taskCreate,
  taskUpdate,
  telegram,
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
