"""What click itself says to a user, listed here so that the catalogues hold translations for it."""

from dicecup.messages import N_, ngettext

CLICK_MESSAGES = [
    N_("Usage:"),
    N_("Options"),
    N_("Commands"),
    N_("Show this message and exit."),
    N_("default: {default}"),
    N_("required"),
    N_("Missing command."),
    N_("Missing argument"),
    N_("Missing option"),
    N_("Missing parameter"),
    N_("No such option {name!r}."),
    N_("No such command {name!r}."),
    N_("Invalid value: {message}"),
    N_("Invalid value for {param_hint}: {message}"),
    N_("{value!r} is not a valid {number_type}."),
    N_("{value} is not in the range {range}."),
    N_("Option {name!r} does not take a value."),
    N_("Choose from:\n\t{choices}"),
    ngettext("Option {name!r} requires an argument.", "Option {name!r} requires {nargs} arguments."),
    ngettext("Got unexpected extra argument ({args})", "Got unexpected extra arguments ({args})"),
    ngettext("{value!r} is not {choice}.", "{value!r} is not one of {choices}."),
    ngettext("Did you mean {possibility}?", "(Did you mean one of: {possibilities}?)"),
]
