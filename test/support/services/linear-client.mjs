// Calls Linear's own client, a package that is no CommonJS, which is why the tests cannot load it themselves:
// node linear-client.mjs <url> <key> <method> <JSON of the arguments>
import { LinearClient } from '@linear/sdk';

const [apiUrl, apiKey, method, args] = process.argv.slice(2);
const client = new LinearClient({ apiKey, apiUrl });
const answer = await client[method](...JSON.parse(args));
process.stdout.write(JSON.stringify(answer, ['success', 'id', 'identifier', 'title', 'description', 'url']));
