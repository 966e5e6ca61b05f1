import { env } from 'node:process';
import { DBOS } from '@dbos-inc/dbos-sdk';
import { askModel, serveChats, storeAnswer } from './chat-server.mjs';

// A turn as a workflow of DBOS: its input is stored before it begins, the answer of the model is a step and so is its
// storing. Tokens go straight to the viewer, who is in the same process: DBOS can store each as well (`writeStream`),
// which costs a commit a token.

/** Who watches a turn, by the question. */
const viewers = new Map();

const answerQuestion = DBOS.registerWorkflow(
  async (question) => {
    const say = (token) => viewers.get(question.id)?.(token);
    const answer = await DBOS.runStep(async () => askModel(question.chatId, say), { name: 'askModel' });
    await DBOS.runStep(async () => storeAnswer(question, answer), { name: 'storeAnswer' });
  },
  { name: 'answerQuestion' },
);

DBOS.setConfig({
  name: 'chats',
  systemDatabaseUrl: env.DATABASE_URL,
  systemDatabasePoolSize: 20,
  logLevel: 'warn',
});
await DBOS.launch();
await serveChats(async (question, say) => {
  viewers.set(question.id, say);
  try {
    const handle = await DBOS.startWorkflow(answerQuestion, { workflowID: `answer-${question.id}` })(question);
    await handle.getResult();
  } finally {
    viewers.delete(question.id);
  }
});
