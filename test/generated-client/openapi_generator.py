"""Uses the client that OpenAPI Generator writes in Python: signs in, lists records, has an agent answer, reads errors."""

import json
import sys
import uuid

from everturn import (
    AgentCreate,
    AgentResponseRequest,
    AgentResponseRequestInput,
    AgentsApi,
    ApiClient,
    AuthenticationApi,
    ChatCreate,
    ChatsApi,
    Configuration,
    Credentials,
    IntegrationsApi,
    MCPServersApi,
    MessageCreate,
    OpenAICompatibleApi,
)
from everturn.exceptions import NotFoundException, UnprocessableEntityException

server, email, password = sys.argv[1:]


def ask(client, model):
    question = AgentResponseRequestInput("[[say Good morning]]")
    return OpenAICompatibleApi(client).create_response(AgentResponseRequest(model=model, input=question))


def refusal(call):
    try:
        call()
    except (NotFoundException, UnprocessableEntityException) as error:
        return error.data
    raise AssertionError("it was answered")


with ApiClient(Configuration(host=server)) as client:
    session = AuthenticationApi(client).login(Credentials(email=email, password=password))
with ApiClient(Configuration(host=server, access_token=session.access_token)) as client:
    agents, chats = AgentsApi(client), ChatsApi(client)
    agent = agents.create_agent(AgentCreate(name="Helper"), x_org_id=str(session.user.active_org_id))
    chat = chats.create_chat(ChatCreate(agent_id=agent.id))
    events = chats.send_message(chat.id, MessageCreate(content="[[say Good evening]]"))
    report = {
        "agent": agent.name,
        "server": MCPServersApi(client).list_mcp_servers()[0].name,
        "integration": IntegrationsApi(client).list_integrations()[0].name,
        "has_ended": "event: stream_end\n" in events,
        "message": chats.list_messages(chat.id)[-1].content,
        "answer": ask(client, "Helper").output[0].content[0].text,
        "code": refusal(lambda: ask(client, "Nobody")).error.code,
        "missing": refusal(lambda: agents.get_agent(uuid.uuid4())).detail.actual_instance,
        "invalid": refusal(lambda: agents.create_agent(AgentCreate(name=" "))).detail.actual_instance[0].msg,
    }
print(json.dumps(report))
