import { askModel, serveChats, storeAnswer } from './chat-server.mjs';

// The floor: two commits and Express, no engine. A turn whose process dies is lost.

await serveChats(async (question, say) => storeAnswer(question, await askModel(question.chatId, say)));
