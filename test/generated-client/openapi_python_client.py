"""Uses the client that openapi-python-client writes: lists records, has an agent answer, and reads errors."""

import json
import sys
import uuid

from everturn import AuthenticatedClient
from everturn.api.agents import create_agent, get_agent
from everturn.api.integrations import list_integrations
from everturn.api.mcp_servers import list_mcp_servers
from everturn.api.open_ai_compatible import create_response
from everturn.models import AgentCreate, AgentResponseRequest

server, token = sys.argv[1:]
client = AuthenticatedClient(base_url=server, token=token, timeout=60)


def ask(model):
    body = AgentResponseRequest(model=model, input_="[[say Good morning]]")
    return create_response.sync(client=client, body=body)


report = {
    "agent": create_agent.sync(client=client, body=AgentCreate(name="Helper")).name,
    "server": list_mcp_servers.sync(client=client)[0].name,
    "integration": list_integrations.sync(client=client)[0].name,
    "answer": ask("Helper").output[0].content[0].text,
    "code": ask("Nobody").error.code,
    "missing": get_agent.sync(uuid.uuid4(), client=client).detail,
}
print(json.dumps(report))
