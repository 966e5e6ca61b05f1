"""Uses the client that openapi-python-client writes: signs in, lists records, has an agent answer, and reads errors."""

import importlib
import json
import pkgutil
import sys
import uuid

import everturn
from everturn import AuthenticatedClient, Client
from everturn.api.agents import create_agent, get_agent
from everturn.api.authentication import login
from everturn.api.chats import create_chat, list_messages, send_message
from everturn.api.integrations import list_integrations
from everturn.api.mcp_servers import list_mcp_servers
from everturn.api.open_ai_compatible import create_response
from everturn.models import AgentCreate, AgentResponseRequest, ChatCreate, Credentials, MessageCreate

# A module is loaded with its first use, so that a fault of one is nobody's who does not use it.
for module in pkgutil.walk_packages(everturn.__path__, "everturn."):
    importlib.import_module(module.name)

server, email, password = sys.argv[1:]
session = login.sync(client=Client(base_url=server), body=Credentials(email=email, password=password))
client = AuthenticatedClient(base_url=server, token=session.access_token, timeout=60)


def ask(model):
    body = AgentResponseRequest(model=model, input_="[[say Good morning]]")
    return create_response.sync(client=client, body=body)


organization = str(session.user.active_org_id)
agent = create_agent.sync(client=client, body=AgentCreate(name="Helper"), x_org_id=organization)
chat = create_chat.sync(client=client, body=ChatCreate(agent_id=agent.id))
events = send_message.sync(chat.id, client=client, body=MessageCreate(content="[[say Good evening]]"))
report = {
    "agent": agent.name,
    "server": list_mcp_servers.sync(client=client)[0].name,
    "integration": list_integrations.sync(client=client)[0].name,
    "has_ended": "event: stream_end\n" in events,
    "message": list_messages.sync(chat.id, client=client)[-1].content,
    "answer": ask("Helper").output[0].content[0].text,
    "code": ask("Nobody").error.code,
    "missing": get_agent.sync(uuid.uuid4(), client=client).detail,
    "invalid": create_agent.sync(client=client, body=AgentCreate(name=" ")).detail[0].msg,
}
print(json.dumps(report))
