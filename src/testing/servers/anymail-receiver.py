"""Runs the webhook views of django-anymail, and prints each event that they yield as a line of JSON.

POST /settings replaces Anymail's settings, because secrets are known only once the webhooks exist.
"""

import json
import sys
from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

import django
from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.http import HttpResponse
from django.urls import include, path
from django.views.decorators.csrf import csrf_exempt

settings.configure(
    ALLOWED_HOSTS=["*"],
    ANYMAIL={},
    INSTALLED_APPS=["anymail"],
    ROOT_URLCONF=__name__,
    SECRET_KEY="test",
    USE_TZ=True,
)
django.setup()

from anymail.signals import inbound, tracking  # noqa: E402


def show(fields):
    print(json.dumps(fields), flush=True)


def show_tracking(sender, event, esp_name, **kwargs):
    show(
        {
            "vendor": esp_name,
            "type": event.event_type,
            "recipient": event.recipient,
            "messageId": event.message_id,
            "eventId": event.event_id,
            "tags": event.tags,
            "metadata": event.metadata,
            "timestamp": event.timestamp and event.timestamp.isoformat(),
            "rejectReason": event.reject_reason,
            "mtaResponse": event.mta_response,
            "clickUrl": event.click_url,
            "userAgent": event.user_agent,
        }
    )


def show_inbound(sender, event, esp_name, **kwargs):
    message = event.message
    show(
        {
            "vendor": esp_name,
            "type": event.event_type,
            "from": str(message.from_email),
            "to": [str(address) for address in message.to],
            "subject": message.subject,
            "text": message.text,
            "html": message.html,
            "header": message["X-Case"],
            "envelopeRecipient": message.envelope_recipient,
            "envelopeSender": message.envelope_sender,
            "attachments": [
                [part.get_filename(), part.get_content_bytes().decode()] for part in message.attachments
            ],
        }
    )


tracking.connect(show_tracking)
inbound.connect(show_inbound)


@csrf_exempt
def set_settings(request):
    settings.ANYMAIL = json.loads(request.body)
    return HttpResponse()


urlpatterns = [path("settings", set_settings), path("anymail/", include("anymail.urls"))]


class Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class Handler(WSGIRequestHandler):
    def log_message(self, *args):
        pass


server = make_server("127.0.0.1", 0, get_wsgi_application(), Server, Handler)
show({"port": server.server_port})
sys.stderr = open("/dev/null", "w")
server.serve_forever()
