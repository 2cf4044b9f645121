"""The rungs of the diagnostic. `pilots/host/diagnostic.py` puts these modules together into one file.

That file runs alone under Python 3.9 and newer: nothing here imports anything but the standard library (torch and other
libraries under judgement are loaded by name, when their rung is climbed), and no name is defined in two modules.
"""
