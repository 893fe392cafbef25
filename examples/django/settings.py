# Django sends by SMTP. The password is an API key of Posthorn that may send.
import os

EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
EMAIL_HOST = "posthorn.example.com"
EMAIL_PORT = 587
EMAIL_USE_TLS = True
EMAIL_HOST_USER = "posthorn"
EMAIL_HOST_PASSWORD = os.environ["POSTHORN_KEY"]
DEFAULT_FROM_EMAIL = "Hello <hello@example.com>"

# Or with django-anymail by the API of Mailgun: the sender domain is a domain of your team.
# EMAIL_BACKEND = "anymail.backends.mailgun.EmailBackend"
# ANYMAIL = {
#     "MAILGUN_API_KEY": os.environ["POSTHORN_KEY"],
#     "MAILGUN_API_URL": "https://posthorn.example.com/v3",
#     "MAILGUN_SENDER_DOMAIN": "example.com",
# }
