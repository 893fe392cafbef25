# config/environments/production.rb: Action Mailer sends by SMTP. The password is an API key of Posthorn that may send.
Rails.application.configure do
  config.action_mailer.delivery_method = :smtp
  config.action_mailer.smtp_settings = {
    address: "posthorn.example.com",
    port: 587,
    user_name: "posthorn",
    password: ENV.fetch("POSTHORN_KEY"),
    authentication: :plain,
    enable_starttls: true
  }
end
